(** * The binomial law: what one row more does to it *)

From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Crowdproof Require Import Definitions.
Open Scope R_scope.

(** ** Sums *)

Lemma sum_ext g h m : (forall j, (j < m)%nat -> g j = h j) -> sum g m = sum h m.
Proof. induction m; intro H; simpl. reflexivity. rewrite IHm, H by (auto with arith). reflexivity. Qed.

Lemma sum_le g h m : (forall j, (j < m)%nat -> g j <= h j) -> sum g m <= sum h m.
Proof. induction m; intro H; simpl. lra. assert (g m <= h m) by auto with arith. assert (sum g m <= sum h m) by auto with arith. lra. Qed.

Lemma sum_lin g h a c m : sum (fun j => a * g j + c * h j) m = a * sum g m + c * sum h m.
Proof. induction m; simpl. ring. rewrite IHm. ring. Qed.

Lemma sum_scal g a m : sum (fun j => a * g j) m = a * sum g m.
Proof. induction m; simpl. ring. rewrite IHm. ring. Qed.

Lemma sum_nn g m : (forall j, 0 <= g j) -> 0 <= sum g m.
Proof. intro H. induction m; simpl. lra. assert (0 <= g m) by apply H. lra. Qed.

Lemma sum_zero h m : (forall j, (j < m)%nat -> h j = 0) -> sum h m = 0.
Proof. induction m; intro H; simpl. reflexivity. rewrite IHm by (intros; apply H; lia). rewrite H by lia. ring. Qed.

Lemma sum_const0 m : sum (fun _ => 0) m = 0.
Proof. apply sum_zero. reflexivity. Qed.

(** The first term apart. *)
Lemma sum_shift h m : sum h (S m) = h 0%nat + sum (fun j => h (S j)) m.
Proof. induction m. simpl; ring. change (sum h (S (S m))) with (sum h (S m) + h (S m)). rewrite IHm. simpl. ring. Qed.

(** The first k terms apart. *)
Lemma sum_split k h m : (k <= m)%nat -> sum h m = sum h k + sum (fun j => h (k + j)%nat) (m - k).
Proof. intro H. induction H. replace (k - k)%nat with 0%nat by lia. simpl; lra.
 replace (S m - k)%nat with (S (m - k)) by lia. simpl. rewrite IHle. replace (k + (m - k))%nat with m by lia. lra. Qed.

(** ** Masses *)

Lemma less_true r s : r < s -> less r s = true.
Proof. intro H. unfold less. destruct (Rlt_dec r s); [reflexivity | contradiction]. Qed.

Lemma less_false r s : s <= r -> less r s = false.
Proof. intro H. unfold less. destruct (Rlt_dec r s); [lra | reflexivity]. Qed.

Section Binomial.
Variable b : R.
Hypothesis Hb : 0 < b < 1.
Notation f := (f b).

Lemma f_S0 n : f (S n) 0 = (1 - b) * f n 0.
Proof. simpl; lra. Qed.

Lemma f_SS n j : f (S n) (S j) = (1 - b) * f n (S j) + b * f n j.
Proof. reflexivity. Qed.

Lemma f_nn n : forall j, 0 <= f n j.
Proof. induction n; intros [|j]; try (simpl; lra).
 - rewrite f_S0. apply Rmult_le_pos; [lra | apply IHn].
 - rewrite f_SS. assert (0 <= (1 - b) * f n (S j)) by (apply Rmult_le_pos; [lra | apply IHn]). assert (0 <= b * f n j) by (apply Rmult_le_pos; [lra | apply IHn]). lra. Qed.

Lemma f_out n : forall j, (n < j)%nat -> f n j = 0.
Proof. induction n; intros [|j] H; try lia; try reflexivity. rewrite f_SS. rewrite !IHn by lia. lra. Qed.

(** The ratio of the two laws, f(j; n+1)/f(j; n) = (n+1)(1-b)/(n+1-j), without division. *)
Lemma ratio n : forall j, (INR n + 1 - INR j) * f (S n) j = (INR n + 1) * (1 - b) * f n j.
Proof. induction n; intro j.
 - destruct j as [|[|j]]. simpl; lra. simpl; lra. rewrite f_out by lia. rewrite (f_out 0) by lia. lra.
 - rewrite S_INR. destruct j.
   + assert (H := IHn 0%nat). rewrite (f_S0 (S n)). simpl INR in *. rewrite f_S0 in *. nra.
   + assert (H1 := IHn (S j)). assert (H2 := IHn j). rewrite S_INR in *. rewrite (f_SS (S n)).
     transitivity ((1 - b) * ((INR n + 1 - (INR j + 1)) * f (S n) (S j)) + (1 - b) * f (S n) (S j) + b * ((INR n + 1 - INR j) * f (S n) j)). ring.
     rewrite H1, H2. rewrite f_SS. ring. Qed.

(** (j+1) f(j+1; n+1) = (n+1) b f(j; n). *)
Lemma weighted n : forall j, (INR j + 1) * f (S n) (S j) = (INR n + 1) * b * f n j.
Proof. intro j. assert (H := ratio n (S j)). rewrite S_INR in H. rewrite f_SS in *. nra. Qed.

(** ** Distribution functions *)

(** F(k; n+1) = F(k; n) - b f(k; n). *)
Lemma cdf_rec n k : sum (f (S n)) (S k) = sum (f n) (S k) - b * f n k.
Proof. induction k. simpl. lra.
 change (sum (f (S n)) (S (S k))) with (sum (f (S n)) (S k) + f (S n) (S k)).
 change (sum (f n) (S (S k))) with (sum (f n) (S k) + f n (S k)). rewrite IHk, f_SS. ring. Qed.

Lemma cdf_step n k : sum (f (S n)) k <= sum (f n) k.
Proof. destruct k. simpl; lra. rewrite cdf_rec. assert (0 <= b * f n k) by (apply Rmult_le_pos; [lra | apply f_nn]). lra. Qed.

(** More rows make few sampled rows less likely. *)
Lemma cdf_falls n m k : (n <= m)%nat -> sum (f m) k <= sum (f n) k.
Proof. intro H. induction H. lra. eapply Rle_trans. apply cdf_step. assumption. Qed.

Lemma total n M : (n < M)%nat -> sum (f n) M = 1.
Proof. revert M. induction n; intros M H.
 - destruct M; [lia |]. induction M. simpl; lra. change (sum (f 0) (S M) + f 0 (S M) = 1). rewrite IHM by lia. rewrite f_out by lia. lra.
 - destruct M; [lia |]. rewrite cdf_rec. rewrite IHn by lia. rewrite f_out by lia. lra. Qed.

(** One row set apart. *)
Lemma at_least_rec n m : at_least b (S n) (S m) = b * at_least b n m + (1 - b) * at_least b n (S m).
Proof. unfold at_least. rewrite cdf_rec. simpl sum. ring. Qed.

Lemma at_least_0 m : at_least b 0 (S m) = 0.
Proof. unfold at_least. rewrite (total 0 (S m)) by lia. ring. Qed.

(** ** The laws of n + 1 and of n rows, compared count by count *)

(** With gamma x = x - 1 + b: a count is likelier by the factor x for one row more exactly above gamma (n + 1). *)
Lemma likelier x g n j : 1 <= x -> g * x = x - 1 + b ->
  (INR j <= g * (INR n + 1) -> f (S n) j <= x * f n j) /\ (g * (INR n + 1) <= INR j -> x * f n j <= f (S n) j).
Proof. intros Hx Hg. assert (R0 := ratio n j). assert (N0 : 0 <= INR n) by apply pos_INR.
 set (N := INR n + 1) in *. assert (F0 := f_nn n j). assert (F1 := f_nn (S n) j).
 assert (E1 : (1 - g) * x = 1 - b) by lra. assert (NP : 0 < N) by (unfold N; lra). split; intro HJ.
 - assert (E2 : x * (N - INR j) >= N * (1 - b)). { rewrite <- E1. assert (x * INR j <= x * (g * N)) by (apply Rmult_le_compat_l; lra). lra. }
   assert (P1 : 0 < N * (1 - b)) by (apply Rmult_lt_0_compat; lra).
   assert (P2 : 0 < N - INR j) by (apply Rmult_lt_reg_l with x; lra).
   apply Rmult_le_reg_l with (N - INR j). exact P2. rewrite R0. replace ((N - INR j) * (x * f n j)) with (x * (N - INR j) * f n j) by ring. apply Rmult_le_compat_r; lra.
 - destruct (Rlt_dec (INR j) N) as [L|G].
   + assert (E2 : x * (N - INR j) <= N * (1 - b)). { rewrite <- E1. assert (x * (g * N) <= x * INR j) by (apply Rmult_le_compat_l; lra). lra. }
     apply Rmult_le_reg_l with (N - INR j). lra. rewrite R0. replace ((N - INR j) * (x * f n j)) with (x * (N - INR j) * f n j) by ring. apply Rmult_le_compat_r; lra.
   + rewrite (f_out n j). lra. assert (INR n < INR j) by (unfold N in G; lra). apply INR_lt; assumption. Qed.

(** With g = 1 - x (1 - b): a count is likelier by the factor x for one row less exactly below g (n + 1). *)
Lemma likelier_less x g n j : 1 <= x -> g = 1 - x * (1 - b) ->
  (g * (INR n + 1) <= INR j -> f n j <= x * f (S n) j) /\ (INR j <= g * (INR n + 1) -> x * f (S n) j <= f n j).
Proof. intros Hx Hg. assert (R0 := ratio n j). assert (N0 : 0 <= INR n) by apply pos_INR.
 set (N := INR n + 1) in *. assert (F0 := f_nn n j). assert (F1 := f_nn (S n) j). assert (NP : 0 < N) by (unfold N; lra).
 destruct (Rlt_dec (INR j) N) as [L|G].
 - assert (P : 0 < N - INR j) by lra. split; intro HJ.
   + apply Rmult_le_reg_l with (N - INR j). exact P. replace ((N - INR j) * (x * f (S n) j)) with (x * ((N - INR j) * f (S n) j)) by ring. rewrite R0.
     replace (x * (N * (1 - b) * f n j)) with (x * (1 - b) * N * f n j) by ring. apply Rmult_le_compat_r; [exact F0 |]. subst g. lra.
   + apply Rmult_le_reg_l with (N - INR j). exact P. replace ((N - INR j) * (x * f (S n) j)) with (x * ((N - INR j) * f (S n) j)) by ring. rewrite R0.
     replace (x * (N * (1 - b) * f n j)) with (x * (1 - b) * N * f n j) by ring. apply Rmult_le_compat_r; [exact F0 |]. subst g. lra.
 - assert (Z : f n j = 0) by (apply f_out; assert (INR n < INR j) by (unfold N in G; lra); apply INR_lt; assumption). rewrite Z. split; intro HJ.
   + apply Rmult_le_pos; lra.
   + exfalso. assert (0 < x * (1 - b)) by (apply Rmult_lt_0_compat; lra). assert (g * N < 1 * N) by (apply Rmult_lt_compat_r; lra). lra. Qed.

(** A whole number between two neighbouring multiples of g. *)
Lemma floor_nat r : 0 <= r -> exists m, (forall j, (j < m)%nat -> INR j <= r) /\ (forall j, (m <= j)%nat -> r < INR j) /\ INR m <= r + 1.
Proof. intro Hr. destruct (archimed r) as [A1 A2]. exists (Z.to_nat (up r)). assert (0 < up r)%Z by (apply lt_IZR; lra).
 assert (Q : INR (Z.to_nat (up r)) = IZR (up r)) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
 repeat split; try lra; intros j Hj.
 - assert (INR j + 1 <= INR (Z.to_nat (up r))) by (rewrite <- S_INR; apply le_INR; lia). lra.
 - assert (INR (Z.to_nat (up r)) <= INR j) by (apply le_INR; lia). lra. Qed.

(** ** Events that do not tell counts below k apart *)

Definition event (k : nat) (e : nat -> bool) : Prop := exists s, forall j, (j < k)%nat -> e j = s.
Definition Pr (e : nat -> bool) (n M : nat) : R := sum (fun j => ind (e j) (f n j)) M.

Lemma Pr_nn e n M : 0 <= Pr e n M.
Proof. apply sum_nn. intro j. unfold ind. destruct (e j); [apply f_nn | lra]. Qed.

End Binomial.

(** * The largest tail: infinitely many datasets, finitely many numbers

    Theorem 5 takes the maximum of Pr[Bin(n, b) > gamma n] over infinitely many n. Each of these tails is a
    Pr[Bin(n, b) >= m] with gamma n < m ([above_at_least]); by Chernoff's bound it is at most rho^m ([below_rho]) with
    rho <= 1 ([rho_at_most_1]). More rows make it larger ([at_least_grows]), and one row more of which one count more
    is asked makes it smaller ([at_least_shift]), so that one number stands for all pairs with the same n - m. *)

From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Crowdproof Require Import Definitions Binomial OneCell Tight.
Open Scope R_scope.

Section Tails.
Variable b : R.
Hypothesis Hb : 0 < b < 1.
Notation f := (f b).

(** ** How tails compare *)

Lemma at_least_grows n n' m : (n <= n')%nat -> at_least b n m <= at_least b n' m.
Proof. intro H. unfold at_least. assert (C := cdf_falls b Hb n n' m H). lra. Qed.

Lemma at_least_falls n m m' : (m <= m')%nat -> at_least b n m' <= at_least b n m.
Proof. intro H. unfold at_least. rewrite (sum_split m (f n) m' H).
 assert (0 <= sum (fun j => f n (m + j)%nat) (m' - m)) by (apply sum_nn; intro; apply f_nn; exact Hb). lra. Qed.

Lemma at_least_shift n m r : at_least b (n + r) (m + r) <= at_least b n m.
Proof. induction r. rewrite !Nat.add_0_r; lra. rewrite !Nat.add_succ_r, at_least_rec.
 assert (F := at_least_falls (n + r) (m + r) (S (m + r)) ltac:(lia)).
 assert ((1 - b) * at_least b (n + r) (S (m + r)) <= (1 - b) * at_least b (n + r) (m + r)) by (apply Rmult_le_compat_l; lra). lra. Qed.

Lemma at_least_1 n m : at_least b n m <= 1.
Proof. unfold at_least. assert (0 <= sum (f n) m) by (apply sum_nn; intro; apply f_nn; exact Hb). lra. Qed.

Lemma at_least_nn n m : 0 <= at_least b n m.
Proof. rewrite <- (Pr_at_least b m n (S n + m)) by lia. apply Pr_nn. exact Hb. Qed.

(** A tail above g n starts at some count m. *)
Lemma above_at_least g n : 0 <= g -> exists m, g * INR n < INR m /\ (forall j, g * INR n < INR j -> (m <= j)%nat) /\ above b g n = at_least b n m.
Proof. intro Hg. destruct (floor_nat (g * INR n)) as [m [L1 [L2 L3]]]. apply Rmult_le_pos; [exact Hg | apply pos_INR].
 exists m. assert (Hm : g * INR n < INR m) by (apply L2; lia).
 assert (Hj : forall j, g * INR n < INR j -> (m <= j)%nat). { intros j H. destruct (le_lt_dec m j) as [|Q]; [assumption |]. assert (INR j <= g * INR n) by (apply L1; exact Q). lra. }
 split; [exact Hm | split; [exact Hj |]]. rewrite <- (Pr_at_least b m n (S n + m)) by lia. unfold Pr, above.
 rewrite (sum_split (S n) (fun j => ind (m <=? j)%nat (f n j)) (S n + m)) by lia.
 rewrite (sum_zero (fun j => ind (m <=? S n + j)%nat (f n (S n + j)))) by (intros j _; rewrite f_out by lia; unfold ind; destruct (m <=? S n + j)%nat; reflexivity).
 rewrite Rplus_0_r. apply sum_ext. intros j _. f_equal. unfold less. destruct (Rlt_dec (g * INR n) (INR j)) as [L|G].
 - symmetry. apply Nat.leb_le. apply Hj. exact L.
 - symmetry. apply Nat.leb_gt. destruct (le_lt_dec m j) as [Q|]; [| assumption]. exfalso. apply G. apply L2. exact Q. Qed.

(** The last n whose tail starts at m or before. *)
Lemma last_n g m : 0 < g -> (1 <= m)%nat -> exists n, g * INR n < INR m /\ INR m <= g * (INR n + 1).
Proof. intros Hg Hm. assert (M1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; exact Hm).
 assert (K : forall N, INR m <= g * (INR N + 1) -> exists n, g * INR n < INR m /\ INR m <= g * (INR n + 1)).
 { induction N; intro H. exists 0%nat. simpl INR in *. lra.
   destruct (Rlt_dec (g * INR (S N)) (INR m)) as [L|G]. exists (S N). split; assumption. apply IHN. rewrite S_INR in G. lra. }
 destruct (floor_nat (INR m / g)) as [N [_ [HN _]]]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; exact Hg]. specialize (HN N (le_n N)). apply (K N).
 assert (INR m / g * g <= INR N * g) by (apply Rmult_le_compat_r; lra). unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra. Qed.

(** ** Chernoff's bound *)

Variable t : R.
Hypothesis Ht : 1 <= t.

(** The weights t^j of the counts: each row contributes 1 - b + b t on average. *)
Lemma weight_step n M : sum (fun j => t ^ j * f (S n) j) (S M) = (1 - b) * sum (fun j => t ^ j * f n j) (S M) + b * t * sum (fun j => t ^ j * f n j) M.
Proof. induction M. simpl; ring.
 change (sum (fun j => t ^ j * f (S n) j) (S (S M))) with (sum (fun j => t ^ j * f (S n) j) (S M) + t ^ S M * f (S n) (S M)).
 change (sum (fun j => t ^ j * f n j) (S (S M))) with (sum (fun j => t ^ j * f n j) (S M) + t ^ S M * f n (S M)).
 rewrite IHM, f_SS. change (sum (fun j => t ^ j * f n j) (S M)) with (sum (fun j => t ^ j * f n j) M + t ^ M * f n M). simpl pow. ring. Qed.

Lemma weight n : forall M, (n < M)%nat -> sum (fun j => t ^ j * f n j) M = (1 - b + b * t) ^ n.
Proof. induction n; intros M H.
 - induction M; [lia |]. destruct M. simpl; ring.
   change (sum (fun j => t ^ j * f 0 j) (S M) + t ^ S M * f 0 (S M) = (1 - b + b * t) ^ 0). rewrite IHM by lia. rewrite f_out by lia. simpl; ring.
 - destruct M; [lia |]. rewrite weight_step. rewrite IHn by lia. rewrite (IHn M) by lia. simpl pow. ring. Qed.

Theorem chernoff n m : t ^ m * at_least b n m <= (1 - b + b * t) ^ n.
Proof. rewrite <- (weight n (S n + m)) by lia. rewrite <- (Pr_at_least b m n (S n + m)) by lia. unfold Pr. rewrite <- sum_scal. apply sum_le. intros j _.
 assert (F := f_nn b Hb n j). assert (T : 0 <= t ^ j) by (apply pow_le; lra). unfold ind. destruct (m <=? j)%nat eqn:Q.
 - apply Nat.leb_le in Q. apply Rmult_le_compat_r. exact F. apply Rle_pow; assumption.
 - assert (0 <= t ^ j * f n j) by (apply Rmult_le_pos; assumption). lra. Qed.

End Tails.

(** ** The rate rho at which the tails fall *)

Lemma ln_below y : 0 < y -> 1 - / y <= ln y.
Proof. intro Hy. assert (Q := exp_ineq1_le (- ln y)). rewrite exp_Ropp, exp_ln in Q by exact Hy. lra. Qed.

Section Rho.
Variables b eps : R.
Hypothesis Hb : 0 < b < 1.
Hypothesis He : 0 <= eps.
Notation x := (exp eps).
Notation g := (gamma eps b).

Lemma x_at_least_1 : 1 <= x.
Proof. rewrite <- exp_0. destruct He as [H|H]; [left; apply exp_increasing; exact H | right; rewrite H; reflexivity]. Qed.

Lemma gamma_x : g * x = x - 1 + b.
Proof. unfold gamma. assert (P := exp_pos eps). field. lra. Qed.

Lemma gamma_range : b <= g < 1.
Proof. assert (X := x_at_least_1). assert (G := gamma_x). split.
 - apply Rmult_le_reg_r with x. lra. rewrite G. nra.
 - apply Rmult_lt_reg_r with x; lra. Qed.

Lemma rho_pos : 0 < rho eps b.
Proof. unfold rho. assert (X := x_at_least_1). apply Rdiv_lt_0_compat; [| lra]. apply Rmult_lt_0_compat; [lra | apply exp_pos]. Qed.

(** The relative entropy of gamma and b is not negative. *)
Lemma rho_at_most_1 : rho eps b <= 1.
Proof. assert (X := x_at_least_1). assert (G := gamma_x). assert (R := gamma_range). set (y := (x - 1 + b) / b).
 assert (Y : 0 < y) by (apply Rdiv_lt_0_compat; lra).
 assert (L : eps <= g * ln y).
 { assert (E1 : y = (g / b) * x) by (unfold y; rewrite <- G; field; lra). rewrite E1, ln_mult, ln_exp; [| apply Rdiv_lt_0_compat; lra | apply exp_pos].
   assert (B := ln_below (g / b) ltac:(apply Rdiv_lt_0_compat; lra)). replace (/ (g / b)) with (b / g) in B by (field; lra).
   assert (Q := exp_ineq1_le eps). assert (Q1 : (1 - g) * eps <= (1 - g) * (x - 1)) by (apply Rmult_le_compat_l; lra).
   assert (Q2 : g * (1 - b / g) <= g * ln (g / b)) by (apply Rmult_le_compat_l; lra). replace (g * (1 - b / g)) with (g - b) in Q2 by (field; lra).
   assert (Q3 : (1 - g) * (x - 1) = g - b) by lra. lra. }
 assert (H : exp (eps / g) <= y).
 { rewrite <- (exp_ln y Y). assert (D : eps / g <= ln y) by (apply Rmult_le_reg_l with g; [lra |]; replace (g * (eps / g)) with eps by (field; lra); exact L).
   destruct D as [D|D]; [left; apply exp_increasing; exact D | right; rewrite D; reflexivity]. }
 unfold rho. apply Rmult_le_reg_r with (x - 1 + b). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
 assert (b * exp (eps * / g) <= b * y) by (apply Rmult_le_compat_l; [lra | exact H]). replace (b * y) with (x - 1 + b) in H0 by (unfold y; field; lra). lra. Qed.

Lemma exp_INR n : x ^ n = exp (INR n * eps).
Proof. induction n. simpl. rewrite Rmult_0_l, exp_0. reflexivity. rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. simpl. rewrite IHn. ring. Qed.

Theorem below_rho n m : g * INR n < INR m -> at_least b n m <= rho eps b ^ m.
Proof. intro H. assert (X := x_at_least_1). assert (G := gamma_x). assert (R := gamma_range). set (t := (x - 1 + b) / b).
 assert (T1 : 1 <= t) by (unfold t; apply Rmult_le_reg_r with b; [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
 assert (C := chernoff b Hb t T1 n m). replace (1 - b + b * t) with x in C by (unfold t; field; lra).
 assert (P : x ^ n <= exp (eps / g) ^ m).
 { rewrite exp_INR. assert (Z : exp (eps / g) ^ m = exp (INR m * (eps / g))) by (clear; induction m; [simpl; rewrite Rmult_0_l, exp_0; reflexivity | rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus; simpl; rewrite IHm; ring]).
   rewrite Z. assert (D : INR n * eps <= INR m * (eps / g)).
   { apply Rmult_le_reg_l with g. lra. replace (g * (INR m * (eps / g))) with (INR m * eps) by (field; lra). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
   destruct D as [D|D]; [left; apply exp_increasing; exact D | right; rewrite D; reflexivity]. }
 assert (TM : 0 < t ^ m) by (apply pow_lt; lra).
 apply Rmult_le_reg_l with (t ^ m). exact TM. rewrite <- Rpow_mult_distr. replace (t * rho eps b) with (exp (eps / g)) by (unfold t, rho; field; lra). lra. Qed.

Lemma rho_falls m m' : (m <= m')%nat -> rho eps b ^ m' <= rho eps b ^ m.
Proof. intro H. assert (P := rho_pos). assert (Q := rho_at_most_1). induction H. lra. simpl. assert (0 <= rho eps b ^ m0) by (apply pow_le; lra). nra. Qed.

(** ** The maximum *)

Variables k nm : nat.
Hypothesis Hk : (1 <= k)%nat.
Hypothesis Hnm1 : g * INR nm < INR k.
Hypothesis Hnm2 : INR k <= g * (INR nm + 1).

Lemma starts_at_k n m : (nm <= n)%nat -> g * INR n < INR m -> (k <= m)%nat.
Proof. intros H Hm. assert (R := gamma_range). assert (INR nm <= INR n) by (apply le_INR; exact H). assert (g * INR nm <= g * INR n) by (apply Rmult_le_compat_l; lra).
 assert (Q : INR k < INR (S m)) by (rewrite S_INR; lra). apply INR_lt in Q. lia. Qed.

Theorem closed_form n : (nm <= n)%nat -> above b g n <= rho eps b ^ k.
Proof. intro H. assert (R := gamma_range). destruct (above_at_least b g n) as [m [M1 [_ M3]]]. lra. rewrite M3.
 apply Rle_trans with (rho eps b ^ m). apply below_rho. exact M1. apply rho_falls. apply (starts_at_k n); assumption. Qed.

(** A pair of a count m' and r rows that are left out stands for all later counts m with the same r. *)
Lemma stands_for m' r n m : (m' <= m)%nat -> INR m <= g * (INR (m + r) + 1) -> g * INR n < INR m -> at_least b n m <= at_least b (m' + r) m'.
Proof. intros Hm Hr Hn. assert (R := gamma_range).
 assert (N : (n <= m + r)%nat). { assert (Q : INR n < INR (S (m + r))). rewrite S_INR. apply Rmult_lt_reg_l with g; lra. apply INR_lt in Q. lia. }
 apply Rle_trans with (at_least b (m + r) m). apply at_least_grows; assumption.
 replace (m + r)%nat with (m' + r + (m - m'))%nat by lia. replace m with (m' + (m - m'))%nat at 2 by lia. apply at_least_shift. exact Hb. Qed.

Theorem maximum M delta : rho eps b ^ M <= delta ->
  (forall m, (k <= m)%nat -> (m < M)%nat -> exists m' r, (m' <= m)%nat /\ INR m <= g * (INR (m + r) + 1) /\ at_least b (m' + r) m' <= delta) ->
  forall n, (nm <= n)%nat -> above b g n <= delta.
Proof. intros HM Hd n H. assert (R := gamma_range). destruct (above_at_least b g n) as [m [M1 [_ M3]]]. lra. rewrite M3.
 assert (Km := starts_at_k n m H M1). destruct (le_lt_dec M m) as [L|L].
 - apply Rle_trans with (rho eps b ^ m). apply below_rho. exact M1. apply Rle_trans with (rho eps b ^ M). apply rho_falls. exact L. exact HM.
 - destruct (Hd m Km L) as [m' [r [Q1 [Q2 Q3]]]]. apply Rle_trans with (at_least b (m' + r) m'); [| exact Q3]. apply stands_for; assumption. Qed.

End Rho.

(** ** Larger k and larger epsilon *)

Theorem order b eps eps' k k' nm nm' delta : 0 < b < 1 -> 0 <= eps -> eps <= eps' -> (1 <= k)%nat -> (k <= k')%nat ->
  gamma eps b * INR nm < INR k -> INR k <= gamma eps b * (INR nm + 1) ->
  gamma eps' b * INR nm' < INR k' -> INR k' <= gamma eps' b * (INR nm' + 1) ->
  (forall n, (nm <= n)%nat -> above b (gamma eps b) n <= delta) -> forall n, (nm' <= n)%nat -> above b (gamma eps' b) n <= delta.
Proof. intros Hb He Hee Hk Hkk H1 H2 H3 H4 Hd n Hn. assert (R := gamma_range b eps Hb He). assert (He' : 0 <= eps') by lra. assert (R' := gamma_range b eps' Hb He').
 assert (X : exp eps <= exp eps') by (destruct Hee as [Q|Q]; [left; apply exp_increasing; exact Q | right; rewrite Q; reflexivity]).
 assert (P := exp_pos eps). assert (P' := exp_pos eps').
 assert (GG : gamma eps b <= gamma eps' b).
 { assert (I : / exp eps' <= / exp eps) by (apply Rinv_le_contravar; assumption). assert (A : forall e, gamma e b = 1 - (1 - b) * / exp e) by (intro e; unfold gamma; assert (Q := exp_pos e); field; lra).
   rewrite !A. assert ((1 - b) * / exp eps' <= (1 - b) * / exp eps) by (apply Rmult_le_compat_l; lra). lra. }
 destruct (above_at_least b (gamma eps' b) n) as [m [M1 [_ M3]]]. lra. rewrite M3.
 assert (Km := starts_at_k b eps' Hb He' k' nm' ltac:(lia) H3 H4 n m Hn M1). destruct (last_n (gamma eps b) m) as [n1 [N1 N2]]. lra. lia.
 assert (MM : INR k <= INR m) by (apply le_INR; lia). assert (L1 : (nm <= n1)%nat). { assert (Q : INR nm < INR (S n1)) by (rewrite S_INR; apply Rmult_lt_reg_l with (gamma eps b); lra). apply INR_lt in Q. lia. }
 assert (L2 : (n <= n1)%nat). { assert (N0 := pos_INR n). assert (gamma eps b * INR n <= gamma eps' b * INR n) by (apply Rmult_le_compat_r; lra).
   assert (Q : INR n < INR (S n1)) by (rewrite S_INR; apply Rmult_lt_reg_l with (gamma eps b); lra). apply INR_lt in Q. lia. }
 apply Rle_trans with (at_least b n1 m). apply at_least_grows; assumption.
 destruct (above_at_least b (gamma eps b) n1) as [m1 [_ [M2 M4]]]. lra.
 apply Rle_trans with (at_least b n1 m1). apply at_least_falls. exact Hb. apply M2. exact N1. rewrite <- M4. apply Hd. exact L1. Qed.

(** ** The same for crowd-blending: each count j weighs j/n *)

Section Weighted.
Variable p : R.
Hypothesis Hp : 0 < p < 1.
Notation eps := (- ln (1 - p)).
Notation g := (1 - (1 - p) * (1 - p)).

Lemma smallest_epsilon : 0 <= eps.
Proof. assert (L : ln (1 - p) < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in L. lra. Qed.

Lemma gamma_there : gamma eps p = g.
Proof. unfold gamma. rewrite exp_Ropp, exp_ln by lra. field. lra. Qed.

(** j/n f(j; n) = p f(j-1; n-1), so that the sum is a tail of one row less. *)
Lemma blending_tail k n : (1 <= k)%nat -> exists m, (k <= m)%nat /\ g * INR (S n) < INR m /\ blending_delta p g k (S n) = p * at_least p n (m - 1).
Proof. intro Hk. assert (G0 : 0 <= g) by nra. destruct (floor_nat (g * INR (S n))) as [m0 [L1 [L2 L3]]]. apply Rmult_le_pos; [exact G0 | apply pos_INR].
 set (m := Nat.max k m0). exists m. split; [unfold m; lia |]. split; [apply L2; unfold m; lia |].
 rewrite <- (Pr_at_least p (m - 1) n (S n + m)) by lia. unfold Pr, blending_delta. rewrite <- sum_scal.
 rewrite sum_shift. replace (ind ((k <=? 0)%nat && less (g * INR (S n)) (INR 0)) (INR 0 / INR (S n) * f p (S n) 0)) with 0 by (replace (k <=? 0)%nat with false by (symmetry; apply Nat.leb_gt; lia); reflexivity).
 rewrite Rplus_0_l. rewrite (sum_split (S n) (fun j => p * ind (m - 1 <=? j)%nat (f p n j)) (S n + m)) by lia.
 rewrite (sum_zero (fun j => p * ind (m - 1 <=? S n + j)%nat (f p n (S n + j)))) by (intros j _; rewrite f_out by lia; unfold ind; destruct (m - 1 <=? S n + j)%nat; ring).
 rewrite Rplus_0_r. apply sum_ext. intros j _.
 assert (W := weighted p n j). rewrite <- !S_INR in W. assert (N0 : 0 < INR (S n)) by (apply lt_0_INR; lia).
 assert (Q : INR (S j) / INR (S n) * f p (S n) (S j) = p * f p n j) by (apply Rmult_eq_reg_l with (INR (S n)); [| lra]; transitivity (INR (S j) * f p (S n) (S j)); [field; lra | rewrite W; ring]).
 rewrite Q. assert (B : (k <=? S j)%nat && less (g * INR (S n)) (INR (S j)) = (m - 1 <=? j)%nat).
 { destruct (le_lt_dec m (S j)) as [L|L].
   - rewrite (proj2 (Nat.leb_le k (S j))) by (unfold m in L; lia). rewrite less_true by (apply L2; unfold m in L; lia). symmetry. apply Nat.leb_le. lia.
   - rewrite (proj2 (Nat.leb_gt (m - 1) j)) by lia. destruct (le_lt_dec k (S j)) as [K|K].
     + rewrite less_false by (apply L1; unfold m in L; lia). apply andb_false_r.
     + rewrite (proj2 (Nat.leb_gt k (S j))) by lia. reflexivity. }
 rewrite B. unfold ind. destruct (m - 1 <=? j)%nat; ring. Qed.

Theorem blending_maximum k M delta : (1 <= k)%nat -> rho eps p ^ M <= delta ->
  (forall m, (k <= m)%nat -> (m < M)%nat -> exists m' r, (1 <= m')%nat /\ (m' <= m)%nat /\ INR m <= g * (INR (m + r) + 1) /\ p * at_least p (m' - 1 + r) (m' - 1) <= delta) ->
  forall n, (1 <= n)%nat -> blending_delta p g k n <= delta.
Proof. intros Hk HM Hd n Hn. destruct n as [|n]; [lia |]. destruct (blending_tail k n Hk) as [m [K1 [K2 ->]]]. assert (G := gamma_there). assert (E0 := smallest_epsilon).
 destruct (le_lt_dec M m) as [L|L].
 - apply Rle_trans with (rho eps p ^ m); [| apply Rle_trans with (rho eps p ^ M); [apply (rho_falls p eps Hp E0); exact L | exact HM]].
   apply Rle_trans with (at_least p (S n) m); [| apply (below_rho p eps Hp E0); rewrite G; exact K2].
   destruct m as [|m]; [lia |]. rewrite at_least_rec. replace (S m - 1)%nat with m by lia. assert (Q := at_least_nn p Hp n (S m)). nra.
 - destruct (Hd m K1 L) as [m' [r [Q0 [Q1 [Q2 Q3]]]]]. apply Rle_trans with (2 := Q3). apply Rmult_le_compat_l; [lra |].
   assert (GP : 0 < g) by nra.
   assert (N : (n <= m - 1 + r)%nat). { assert (Q : INR (S n) < INR (S (m + r))). rewrite (S_INR (m + r)). apply Rmult_lt_reg_l with g; lra. apply INR_lt in Q. lia. }
   apply Rle_trans with (at_least p (m - 1 + r) (m - 1)). apply at_least_grows; assumption.
   replace (m - 1 + r)%nat with (m' - 1 + r + (m - m'))%nat by lia. replace (m - 1)%nat with (m' - 1 + (m - m'))%nat by lia. apply at_least_shift. exact Hp. Qed.

End Weighted.

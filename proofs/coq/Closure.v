(** * Theorems 2 and 3, and fresh samples

    Post-processing: among all ways to weigh the outputs by numbers in [0, 1], the worst is the event of those outputs
    whose probability exceeds x times the other ([weights]). Random choice is linear. Fresh samples multiply ([fresh]). *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith.
From Crowdproof Require Import Definitions Binomial Expectation.
Import ListNotations.
Open Scope R_scope.

Section Closure.
Variable Row : Type.
Notation E := (E Row).

(** ** Post-processing *)

Lemma weights {Out : Type} (outs : list Out) (P P' q : Out -> R) x d :
  (forall o, 0 <= q o <= 1) ->
  (forall O : Out -> bool, sum_over (fun o => ind (O o) (P o)) outs <= x * sum_over (fun o => ind (O o) (P' o)) outs + d) ->
  sum_over (fun o => P o * q o) outs <= x * sum_over (fun o => P' o * q o) outs + d.
Proof. intros Hq H. assert (W := H (fun o => less (x * P' o) (P o))).
 assert (Q : sum_over (fun o => 1 * (P o * q o) + (- x) * (P' o * q o)) outs <= sum_over (fun o => 1 * ind (less (x * P' o) (P o)) (P o) + (- x) * ind (less (x * P' o) (P o)) (P' o)) outs).
 { apply sum_over_le. intro o. assert (B := Hq o). unfold ind, less. destruct (Rlt_dec (x * P' o) (P o)); nra. }
 rewrite !sum_over_lin in Q. lra. Qed.

Lemma E_chance {Out : Type} (outs : list Out) (A : list Row -> Out -> R) (O : Out -> bool) b D :
  E b D (chance Row outs A O) = sum_over (fun o => ind (O o) (E b D (fun T => A T o))) outs.
Proof. unfold chance. rewrite (E_sum_over Row b D (fun T o => ind (O o) (A T o))). apply sum_over_ext. intro o. unfold ind. destruct (O o). reflexivity. apply E_const. Qed.

Lemma E_afterwards {Out Out2 : Type} (outs : list Out) (outs2 : list Out2) (A1 : list Row -> Out -> R) (A2 : Out -> Out2 -> R) (O : Out2 -> bool) b D :
  E b D (chance Row outs2 (afterwards Row outs A1 A2) O) = sum_over (fun o => E b D (fun T => A1 T o) * sum_over (fun o2 => ind (O o2) (A2 o o2)) outs2) outs.
Proof. rewrite (E_ext Row b D _ (fun T => sum_over (fun o => A1 T o * sum_over (fun o2 => ind (O o2) (A2 o o2)) outs2) outs)).
 - rewrite (E_sum_over Row b D (fun T o => A1 T o * sum_over (fun o2 => ind (O o2) (A2 o o2)) outs2)). apply sum_over_ext. intro o.
   rewrite (E_ext Row b D (fun T => A1 T o * _) (fun T => sum_over (fun o2 => ind (O o2) (A2 o o2)) outs2 * A1 T o)) by (intro; ring). rewrite E_scal. ring.
 - intro T. unfold chance, afterwards. rewrite (sum_over_ext (fun o => A1 T o * sum_over _ outs2) (fun o => sum_over (fun o2 => A1 T o * ind (O o2) (A2 o o2)) outs2)) by (intro; rewrite sum_over_scal; reflexivity).
   rewrite (sum_over_swap (fun o o2 => A1 T o * ind (O o2) (A2 o o2))). apply sum_over_ext. intro o2. unfold ind. destruct (O o2).
   reflexivity. rewrite (sum_over_ext _ (fun o => 0 * A1 T o)) by (intro; ring). rewrite sum_over_scal. ring. Qed.

Theorem post_processing {Out Out2 : Type} (outs : list Out) (outs2 : list Out2) (A1 : list Row -> Out -> R) (A2 : Out -> Out2 -> R) b e d :
  (forall o o2, 0 <= A2 o o2) -> (forall o, sum_over (A2 o) outs2 = 1) ->
  DPS Row b e d (chance Row outs A1) -> DPS Row b e d (chance Row outs2 (afterwards Row outs A1 A2)).
Proof. intros H0 H1 [Hd H]. split. exact Hd. intros O D D' HD. rewrite !E_afterwards. set (q := fun o => sum_over (fun o2 => ind (O o2) (A2 o o2)) outs2).
 assert (Hq : forall o, 0 <= q o <= 1). { intro o. split. apply sum_over_nn. intro o2. unfold ind. destruct (O o2); [apply H0 | lra]. rewrite <- (H1 o). apply sum_over_le. intro o2. unfold ind. assert (B := H0 o o2). destruct (O o2); lra. }
 split; apply (weights outs _ _ q); try exact Hq; intro O1; rewrite <- !E_chance; apply (H O1 D D' HD). Qed.

(** ** Random choice *)

Theorem random_choice {Event : Type} (A1 A2 : Event -> list Row -> R) p b e d : 0 <= p <= 1 ->
  DPS Row b e d A1 -> DPS Row b e d A2 -> DPS Row b e d (fun O T => p * A1 O T + (1 - p) * A2 O T).
Proof. intros Hp [Hd H1] [_ H2]. split. exact Hd. intros O D D' HD. rewrite !E_lin. destruct (H1 O D D' HD) as [P1 Q1]. destruct (H2 O D D' HD) as [P2 Q2]. split; nra. Qed.

(** ** Fresh samples *)

Lemma runs_nn {Out : Type} (outs : list Out) (A : list Row -> Out -> R) b n D : 0 <= b <= 1 -> (forall T o, 0 <= A T o) -> forall h, (forall os, 0 <= h os) -> 0 <= runs Row outs A b n D h.
Proof. intros Hb HA. induction n; intros h Hh; simpl. apply Hh. apply E_nn. exact Hb. intro T. apply sum_over_nn. intro o. apply Rmult_le_pos. apply HA. apply IHn. intro; apply Hh. Qed.

Lemma runs_step {Out : Type} (outs : list Out) (A : list Row -> Out -> R) b n D h : runs Row outs A b (S n) D h = sum_over (fun o => E b D (fun T => A T o) * runs Row outs A b n D (fun os => h (o :: os))) outs.
Proof. simpl. rewrite (E_sum_over Row b D (fun T o => A T o * runs Row outs A b n D (fun os => h (o :: os)))). apply sum_over_ext. intro o.
 rewrite (E_ext Row b D _ (fun T => runs Row outs A b n D (fun os => h (o :: os)) * A T o)) by (intro; ring). rewrite E_scal. ring. Qed.

(** Output by output; an output that is listed twice is two outputs, so the event is one place of the list. *)
Lemma pointwise {Out : Type} (outs : list Out) (P P' : Out -> R) x : 0 <= x -> (forall o, 0 <= P' o) ->
  (forall O : Out -> bool, sum_over (fun o => ind (O o) (P o)) outs <= x * sum_over (fun o => ind (O o) (P' o)) outs) ->
  forall h, (forall o, 0 <= h o) -> sum_over (fun o => P o * h o) outs <= x * sum_over (fun o => P' o * h o) outs.
Proof. intros Hx HP H h Hh.
 assert (B : exists m, 0 < m /\ forall o, In o outs -> h o <= m).
 { clear H. induction outs as [|o l [m [Hm Hl]]]. exists 1. split; [lra | intros o []]. exists (Rmax (h o) m). split. apply Rlt_le_trans with m; [exact Hm | apply Rmax_r]. intros o' [<-|Hin]. apply Rmax_l. apply Rle_trans with m; [apply Hl; exact Hin | apply Rmax_r]. }
 destruct B as [m [Hm Hmax]]. set (q := fun o => Rmin 1 (h o / m)).
 assert (Hq : forall o, 0 <= q o <= 1). { intro o. unfold q. split. apply Rmin_glb. lra. apply Rmult_le_pos. apply Hh. left. apply Rinv_0_lt_compat. exact Hm. apply Rmin_l. }
 assert (W := weights outs P P' q x 0 Hq ltac:(intro O; rewrite Rplus_0_r; apply H)). rewrite Rplus_0_r in W.
 assert (S1 : forall u : Out -> R, sum_over (fun o => u o * h o) outs = m * sum_over (fun o => u o * q o) outs).
 { intro u. rewrite <- sum_over_scal. clear W H. revert Hmax. generalize outs. intro l. induction l as [|o l IH]; intro Hl; simpl. reflexivity. rewrite IH by (intros; apply Hl; right; assumption).
   f_equal. assert (q o = h o / m). { unfold q. apply Rmin_right. apply Rmult_le_reg_r with m. exact Hm. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. assert (h o <= m) by (apply Hl; left; reflexivity). lra. } rewrite H. field. lra. }
 rewrite !S1. replace (x * (m * sum_over (fun o => P' o * q o) outs)) with (m * (x * sum_over (fun o => P' o * q o) outs)) by ring. apply Rmult_le_compat_l; lra. Qed.

Theorem composition {Out : Type} (outs : list Out) (A : list Row -> Out -> R) b e n : 0 <= b <= 1 ->
  (forall T o, 0 <= A T o) -> DPS Row b e 0 (chance Row outs A) ->
  forall D D', neighbours Row D D' -> forall h, (forall os, 0 <= h os) ->
  runs Row outs A b n D h <= exp (INR n * e) * runs Row outs A b n D' h /\ runs Row outs A b n D' h <= exp (INR n * e) * runs Row outs A b n D h.
Proof. intros Hb HA [_ H] D D' HD. induction n; intros h Hh.
 - simpl. rewrite Rmult_0_l, exp_0. lra.
 - rewrite !runs_step. rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. assert (X := exp_pos e). assert (Y := exp_pos (INR n * e)).
   assert (N0 : forall F o, 0 <= E b F (fun T => A T o)) by (intros F o; apply E_nn; [exact Hb | intro; apply HA]).
   assert (K : forall F F', (forall O, sum_over (fun o => ind (O o) (E b F (fun T => A T o))) outs <= exp e * sum_over (fun o => ind (O o) (E b F' (fun T => A T o))) outs) ->
     (forall o, runs Row outs A b n F (fun os => h (o :: os)) <= exp (INR n * e) * runs Row outs A b n F' (fun os => h (o :: os))) ->
     sum_over (fun o => E b F (fun T => A T o) * runs Row outs A b n F (fun os => h (o :: os))) outs <= exp (INR n * e) * exp e * sum_over (fun o => E b F' (fun T => A T o) * runs Row outs A b n F' (fun os => h (o :: os))) outs).
   { intros F F' H1 H2. apply Rle_trans with (exp (INR n * e) * sum_over (fun o => E b F (fun T => A T o) * runs Row outs A b n F' (fun os => h (o :: os))) outs).
     - rewrite <- sum_over_scal. apply sum_over_le. intro o. replace (exp (INR n * e) * (E b F (fun T => A T o) * runs Row outs A b n F' (fun os => h (o :: os)))) with (E b F (fun T => A T o) * (exp (INR n * e) * runs Row outs A b n F' (fun os => h (o :: os)))) by ring. apply Rmult_le_compat_l. apply N0. apply H2.
     - rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. apply pointwise. lra. intro; apply N0. exact H1. intro o. apply runs_nn. exact Hb. exact HA. intro; apply Hh. }
   split; apply K; intro o; try (destruct (IHn (fun os => h (o :: os)) ltac:(intro; apply Hh)) as [I1 I2]; assumption); rewrite <- !E_chance; destruct (H o D D' HD) as [Q1 Q2]; rewrite Rplus_0_r in *; assumption. Qed.

(** ** Composition with delta: the epsilons and the deltas add up *)

Lemma E_runs_1 {Out : Type} (outs : list Out) (A : list Row -> Out -> R) b D : (forall T, sum_over (A T) outs = 1) ->
  sum_over (fun o => E b D (fun T => A T o)) outs = 1.
Proof. intro H. rewrite <- (E_sum_over Row b D A). rewrite (E_ext Row b D _ (fun _ => 1)) by (intro; apply H). apply E_const. Qed.

Lemma runs_at_most_1 {Out : Type} (outs : list Out) (A : list Row -> Out -> R) b n D : 0 <= b <= 1 -> (forall T o, 0 <= A T o) ->
  (forall T, sum_over (A T) outs = 1) -> forall h, (forall os, h os <= 1) -> runs Row outs A b n D h <= 1.
Proof. intros Hb HA H1. induction n; intros h Hh. apply Hh. rewrite runs_step. rewrite <- (E_runs_1 outs A b D H1). apply sum_over_le. intro o.
 rewrite <- (Rmult_1_r (E b D (fun T => A T o))) at 2. apply Rmult_le_compat_l. apply E_nn; [exact Hb | intro; apply HA]. apply IHn. intro; apply Hh. Qed.

Theorem composition_with_delta {Out : Type} (outs : list Out) (A : list Row -> Out -> R) b e d n : 0 <= b <= 1 ->
  (forall T o, 0 <= A T o) -> (forall T, sum_over (A T) outs = 1) -> DPS Row b e d (chance Row outs A) ->
  forall D D', neighbours Row D D' -> forall h, (forall os, 0 <= h os <= 1) ->
  runs Row outs A b n D h <= exp (INR n * e) * runs Row outs A b n D' h + INR n * d /\
  runs Row outs A b n D' h <= exp (INR n * e) * runs Row outs A b n D h + INR n * d.
Proof. intros Hb HA H1 [_ H] D D' HD.
 assert (N0 : forall F o, 0 <= E b F (fun T => A T o)) by (intros F o; apply E_nn; [exact Hb | intro; apply HA]).
 assert (d0 : 0 <= d). { destruct (H (fun _ => false) D D' HD) as [Q _]. rewrite !E_chance in Q. unfold ind in Q. assert (Z : forall (u : Out -> R), sum_over (fun _ : Out => 0) outs = 0) by (intro; clear; induction outs; simpl; lra). rewrite (Z (fun _ => 0)) in Q. lra. }
 induction n; intros h Hh.
 - simpl. rewrite !Rmult_0_l, exp_0. lra.
 - rewrite !runs_step. rewrite S_INR, !Rmult_plus_distr_r, !Rmult_1_l, exp_plus. set (X := exp (INR n * e)) in *. assert (X0 : 0 < X) by apply exp_pos. assert (Y := exp_pos e). assert (n0 := pos_INR n). assert (nd : 0 <= INR n * d) by (apply Rmult_le_pos; assumption).
   assert (K : forall F F', (forall O, sum_over (fun o => ind (O o) (E b F (fun T => A T o))) outs <= exp e * sum_over (fun o => ind (O o) (E b F' (fun T => A T o))) outs + d) ->
     (forall o, runs Row outs A b n F (fun os => h (o :: os)) <= X * runs Row outs A b n F' (fun os => h (o :: os)) + INR n * d) ->
     sum_over (fun o => E b F (fun T => A T o) * runs Row outs A b n F (fun os => h (o :: os))) outs <= X * exp e * sum_over (fun o => E b F' (fun T => A T o) * runs Row outs A b n F' (fun os => h (o :: os))) outs + (INR n * d + d)).
   { intros F F' Q1 Q2. set (q := fun o => Rmin 1 (X * runs Row outs A b n F' (fun os => h (o :: os)))).
     assert (R0 : forall o, 0 <= runs Row outs A b n F' (fun os => h (o :: os))) by (intro o; apply runs_nn; try assumption; intro; apply Hh).
     assert (q01 : forall o, 0 <= q o <= 1). { intro o. unfold q. split. apply Rmin_glb. lra. apply Rmult_le_pos; [lra | apply R0]. apply Rmin_l. }
     assert (B : forall o, runs Row outs A b n F (fun os => h (o :: os)) <= q o + INR n * d).
     { intro o. assert (M1 : runs Row outs A b n F (fun os => h (o :: os)) <= 1) by (apply runs_at_most_1; try assumption; intro; apply Hh). unfold q, Rmin. destruct (Rle_dec _ _). lra. apply Q2. }
     apply Rle_trans with (sum_over (fun o => 1 * (E b F (fun T => A T o) * q o) + (INR n * d) * E b F (fun T => A T o)) outs).
     - apply sum_over_le. intro o. assert (P := N0 F o). assert (E b F (fun T => A T o) * runs Row outs A b n F (fun os => h (o :: os)) <= E b F (fun T => A T o) * (q o + INR n * d)) by (apply Rmult_le_compat_l; [exact P | apply B]). lra.
     - rewrite sum_over_lin, (E_runs_1 outs A b F H1). assert (W := weights outs _ _ q (exp e) d q01 Q1).
       assert (V : sum_over (fun o => E b F' (fun T => A T o) * q o) outs <= X * sum_over (fun o => E b F' (fun T => A T o) * runs Row outs A b n F' (fun os => h (o :: os))) outs).
       { rewrite <- sum_over_scal. apply sum_over_le. intro o. assert (P := N0 F' o). assert (q o <= X * runs Row outs A b n F' (fun os => h (o :: os))) by (unfold q; apply Rmin_r). nra. }
       assert (exp e * sum_over (fun o => E b F' (fun T => A T o) * q o) outs <= exp e * (X * sum_over (fun o => E b F' (fun T => A T o) * runs Row outs A b n F' (fun os => h (o :: os))) outs)) by (apply Rmult_le_compat_l; lra). lra. }
   split; apply K; intro o; try (destruct (IHn (fun os => h (o :: os)) ltac:(intro; apply Hh)) as [I1 I2]; assumption); rewrite <- !E_chance; destruct (H o D D' HD) as [Q1 Q2]; assumption. Qed.

Lemma missed_all b (t : Row) n : missed Row b t n = (1 - b) ^ n.
Proof. induction n; simpl. reflexivity. rewrite IHn. unfold one. simpl. ring. Qed.

End Closure.
